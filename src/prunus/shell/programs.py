"""Programs by what they do to files that they are not given by name."""

from __future__ import annotations

from typing import Final

__all__ = ["LANGUAGES", "READERS", "REWRITERS", "WEB", "WORKERS"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READERS: Final = _words(
    """
    . : [ [[ ack ag alias apply_patch applypatch awk base64 basename bat batcat bc bg break cal cat cd chmod
    choco chown cksum clear cls cmp column comm command continue copy cp curl cut date declare defaults del df
    diff dig dir dirname diskutil disown do done du echo egrep else env erase esac eval exa exit export expr
    eza false fd fdfind ffprobe fg fgrep fi file find findstr free gawk gh git grep groups hash head help
    hexdump history host hostname id identify ifconfig ip jobs join jq json_pp kill killall launchctl less ll
    ln local locate log ls lsblk lsof man md5 md5sum mkdir more mount move mv nc netstat nl node nohup
    nslookup od open openssl osascript paste pbcopy pbpaste perl pgrep ping pkill popd printenv printf ps
    pushd pwd python python3 read readlink readonly realpath return rev rg rm rmdir rtk ruby say scp screen
    sed seq set sha1sum sha256sum shasum shift sleep sort source ss ssh ssh-keygen ssh-keyscan stat stdbuf
    strings sw_vers tac tail taskkill tasklist tee test then time tmux top touch tput tr trap tree true
    truncate type ulimit umask uname uniq unlink unset uptime ver wait wc wget where whereis which whoami
    winget xargs xdg-open xmllint xxd yes yq
    """
)
"""Commands that change nothing but what `changers` says they do."""
WORKERS: Final = _words(
    """
    ./gradlew ./mvnw alembic anchor ansible apt apt-get ar artisan asdf autopep8 ava aws az bandit bazel biome
    black brew bun bundle c++ cargo cast cc clang clang++ clang-format claude cmake codex compileall composer
    conda coverage createdb ctest cypress deno django-admin docker docker-compose dot dotnet dropdb electron
    esbuild eslint expo firebase flake8 flask flyctl fnm forge g++ gcc gcloud gem gemini go gofmt gofumpt
    goimports gradle gradlew gunicorn hardhat hatch helm heroku http.server hugo isort java javac jekyll jest
    json.tool jupyter karma kotlinc kubectl ld make meson minitest mix mkdocs mocha mongo mongosh mvn mvnw
    mypy mysql mysqladmin netlify next ninja node-gyp nox npm nvm nx opencode oxlint parcel pdm pg_dump
    pg_isready php phpcbf phpunit pip pip3 pipenv playwright pnpm podman poetry prettier prisma psql py.test
    py_compile pylint pyright pytest rails railway rake react-native redis-cli rollup rspec rubocop ruff rustc
    rustfmt rustup sbt scalac shfmt solana solana-test-validator sphinx-build sqlite3 standard streamlit
    stylelint surfpool svelte-check swift swiftformat tap tauri terraform timeit tox ts-node tsc tsx turbo ty
    unittest uv uvicorn venv vercel vite vitest vue-tsc webpack wp wrangler xcodebuild yapf yarn zig
    """
)
"""Commands that leave sources alone, unless `changers` says otherwise."""
REWRITERS: Final = _words(
    """
    2to3 7z aider alejandra amp ast-grep astyle autoflake buf bump2version bumpversion changeset codemod comby
    cookiecutter copier crush cursor cursor-agent djlint docformatter dos2unix dprint droid ed emacs entr ex
    expand google-java-format goose graphql-codegen hg husky iconv indent jj jscodeshift kimi ktlint lefthook
    lerna lint-staged llm nano ncu ng nixfmt nodemon npm-check-updates nvim ollama openapi-generator
    openapi-generator-cli orval patch plop pre-commit protoc pyupgrade quicktype qwen recode rome rsync
    scalafmt schematics semantic-release sg sort-package-json sqlc sqlfluff stylua svn swift-format taplo
    uncrustify unexpand unix2dos unzip vi vim watchexec xo yo
    """
)
"""Programs that rewrite files which they are not given by name; other programs change no sources unasked."""
LANGUAGES: Final[dict[str, tuple[str, ...]]] = {
    "gofmt": (".go",), "goimports": (".go",), "gofumpt": (".go",), "go": (".go",), "cargo": (".rs",),
    "rustfmt": (".rs",), "black": (".py", ".pyi"), "isort": (".py", ".pyi"), "autopep8": (".py",),
    "yapf": (".py",), "ruff": (".py", ".pyi", ".ipynb"), "terraform": (".tf", ".tfvars"), "dart": (".dart",),
    "mix": (".ex", ".exs", ".heex"), "clang-format": (".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".mm"),
    "rubocop": (".rb",), "swiftformat": (".swift",), "shfmt": (".sh", ".bash"), "phpcbf": (".php",),
}  # fmt: skip
"""Formatters, and how the names of the files end that they rewrite."""
_SCRIPTS: Final = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte")
_SHEETS: Final = (".css", ".scss", ".less")
WEB: Final[dict[str, tuple[str, ...]]] = {
    "prettier": (*_SCRIPTS, *_SHEETS, ".json", ".html", ".md", ".yaml", ".yml"),
    "biome": (*_SCRIPTS, *_SHEETS, ".json", ".html"), "eslint": _SCRIPTS, "oxlint": _SCRIPTS, "standard": _SCRIPTS,
    "stylelint": _SHEETS,
}  # fmt: skip
"""Those that look over what their settings name: at most these files."""
