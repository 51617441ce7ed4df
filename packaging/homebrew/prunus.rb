# A template: `make dist` fills in the version and the hash of the sdist, and writes the result to dist/. In the tap,
# `brew update-python-resources prunus` then adds a resource for each package that Prunus needs.
class Prunus < Formula
  include Language::Python::Virtualenv

  desc "Prunes the conversation history that LLM agents send with each request"
  homepage "https://prunus.example"
  url "https://files.pythonhosted.org/packages/source/p/prunus/prunus-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "rust" => :build # for pydantic-core
  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"prunus", shell_parameter_format: :click)
  end

  service do
    run [opt_bin/"prunus", "proxy"]
    keep_alive crashed: true
    log_path var/"log/prunus.log"
    error_log_path var/"log/prunus.log"
  end

  test do
    assert_match "prunus #{version}", shell_output("#{bin}/prunus --version")
    assert_match "Pruned again: nothing changes.", shell_output("#{bin}/prunus demo")
  end
end
