/** Parses text that may not be JSON, for callers that treat both cases alike. */

/** Returns the parsed value, or undefined if the text is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
