/** Calls that an approval message must show in full. */
import fc from 'fast-check';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { spelledText, visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import { codePoint } from './code-point.ts';

const length = fc.oneof(fc.nat(40), fc.nat(600), fc.nat(4_500), fc.nat(70_000));
const word = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.constantFrom('`', '```', '<!channel>', '\u3164', '\n', '\\u{60}', '&amp;'),
);
const text = fc
  .tuple(word, length)
  .map(([part, size]) => (part === '' ? '' : part.repeat(Math.ceil(size / part.length))));
/** Parts of calls, with long and hostile strings. */
export const hostileCalls: fc.Arbitrary<Partial<ApprovalRow>> = fc.record({
  tool: text,
  target: text,
  session_id: text,
  justification: text,
  parameters: fc.dictionary(word, fc.oneof(text, fc.record({ a: text, b: fc.array(text, { maxLength: 3 }) })), {
    maxKeys: 6,
  }),
  sent_with: fc.option(fc.record({ note: text }), { nil: undefined }),
  executed: fc.constantFrom([], ['$.target'], ['$.parameters']),
});

const leaves = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [key, ...leaves(item)])
    : [String(value)];

/** Returns every string in the call that is not shown, either as JSON or unchanged. */
export function missing(row: ApprovalRow, shown: string): string[] {
  // An executed target that is too long for the facts is shown line by line in its own sections.
  const isInLines = row.executed?.includes('$.target') === true && shown.includes(visibleLines(row.target));
  const facts = [row.tool, ...(isInLines ? [] : [row.target]), row.session_id, row.justification].filter(
    (each) => !shown.includes(spelledText(each)),
  );
  const values = leaves([row.parameters, row.sent_with ?? {}]).filter(
    (each) => !shown.includes(visibleText(JSON.stringify(each).slice(1, -1))) && !shown.includes(visibleLines(each)),
  );
  return [...facts, ...values];
}
