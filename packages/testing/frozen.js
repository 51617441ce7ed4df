/** The same value, in which nothing can be changed: writing to it throws. */
export function frozen(value) {
  if (value && typeof value === "object") Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
