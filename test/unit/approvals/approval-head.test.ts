/** Items in lists: complete if short, otherwise truncated. */
import fc from 'fast-check';
import { approvalHead } from '#core/approvals/approval-head.ts';
import { approvalView } from '#core/approvals/views.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { codePoint } from '../../support/code-point.ts';
import { sampleRow } from './notifications/sample.ts';

const at = Date.UTC(2026, 0, 1);
const viewOf = (over: Partial<ApprovalRow>) => approvalView(sampleRow(over), 'https://gate.example', at);
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('[approval.item] a short list item is unchanged', () => {
  const view = viewOf({ parameters: { title: 'x'.repeat(4_000) } });
  expect(approvalHead(view)).toBe(view);
});

test('[approval.item] in a long call, small parameters are kept and long ones are replaced by their size and a reference to the item', () => {
  const view = viewOf({ parameters: { base: 'main', body: 'é'.repeat(5_000), list: Array(5_000).fill(1) } });
  const head = approvalHead(view);
  expect(head.parameters).toEqual({
    base: 'main',
    body: `${'é'.repeat(200)}… (10000 bytes in all, see ${view.approval_url})`,
    list: `(10001 bytes, see ${view.approval_url})`,
  });
  expect(head).toMatchObject({ omitted: [{ field: 'parameters', bytes: bytesOf(view.parameters) }] });
  expect({ ...head, parameters: view.parameters, omitted: undefined }).toEqual({ ...view, omitted: undefined });
});

const text = fc
  .tuple(fc.string({ unit: codePoint, minLength: 1, maxLength: 8 }), fc.nat(20_000))
  .map(([part, size]) => part.repeat(Math.ceil(size / part.length)));
const names = fc.oneof(fc.string({ unit: codePoint }), text, fc.constant('__proto__'));
const lines = fc.oneof(
  fc.array(text, { maxLength: 4 }),
  fc.nat(3_000).map((count) => Array<string>(count).fill('a line')),
);
const members = fc.oneof(
  fc.dictionary(names, fc.oneof(text, lines, fc.constant(null)), { maxKeys: 5 }),
  fc.nat(3_000).map((count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, i]))),
);

test('[approval.item] no list item is larger than 24 kB or contains parameters that its call does not have', () => {
  const calls = fc.record({
    parameters: members,
    sent_with: members,
    effects: lines,
    sources: lines,
    executed: lines,
    withheld: lines,
    target: text,
    justification: text,
    result: fc.oneof(text, lines),
    status: fc.constantFrom('pending' as const, 'consumed' as const),
    outcome: fc.constant('executed' as const),
  });
  fc.assert(
    fc.property(calls, (over) => {
      const view = viewOf(over);
      const head = approvalHead(view);
      expect(bytesOf(head)).toBeLessThan(24_000);
      expect(Object.keys(view.parameters)).toEqual(expect.arrayContaining(Object.keys(head.parameters)));
      if (head !== view) expect(head).toMatchObject({ omitted: expect.arrayContaining([expect.anything()]) });
    }),
    { numRuns: 60 },
  );
});
