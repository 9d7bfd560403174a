/** Percent-decoding of text that may not be encoded. */

/** Returns the decoded text, or the text unchanged if it has malformed percent-encoding. */
export function decodeUriOrUnchanged(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
