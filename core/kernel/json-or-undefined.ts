/** Parses text that may not be JSON, where the caller treats both cases alike. */

/** Returns the parsed value, or undefined if the text is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
