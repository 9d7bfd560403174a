/** Detects GraphQL documents with a mutation or a subscription. */

/**
 * Blanks, commas, byte-order marks and comments, which GraphQL ignores between tokens (GraphQL October 2021, 2.1.7).
 */
const ignored = String.raw`(?:[\s,\uFEFF]|#[^\n\r]*(?:[\n\r]|$))`;
const operation = new RegExp(
  String.raw`(?:^|[\s,}\uFEFF])(?:mutation|subscription)(?![\w-])${ignored}*(?:[_A-Za-z]\w*${ignored}*)?[{(@]`,
);

/**
 * Checks for a mutation or subscription, with and without removing comments, because a comment may separate the keyword
 * from its braces.
 */
export const hasMutation = (text: string): boolean =>
  text.includes('{') &&
  /mutation|subscription/.test(text) &&
  (operation.test(text) || operation.test(withoutComments(text)));

const withoutComments = (text: string): string => text.replace(/#[^\n\r]*/g, ' ');
