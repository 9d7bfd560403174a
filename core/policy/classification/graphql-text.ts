/** Whether a text is a GraphQL document that changes something or stays open, by its operations alone. */

/** Blanks, commas, byte-order marks and comments, which GraphQL ignores between tokens (GraphQL October 2021, 2.1.7). */
const ignored = String.raw`(?:[\s,\uFEFF]|#[^\n\r]*(?:[\n\r]|$))`;
const operation = new RegExp(
  String.raw`(?:^|[\s,}\uFEFF])(?:mutation|subscription)(?![\w-])${ignored}*(?:[_A-Za-z]\w*${ignored}*)?[{(@]`,
);

/** Comments are left out first: one may hold the word, or part it from its braces. */
export const hasMutation = (text: string): boolean =>
  text.includes('{') && /mutation|subscription/.test(text) && (operation.test(text) || operation.test(bare(text)));

const bare = (text: string): string => text.replace(/#[^\n\r]*/g, ' ');
