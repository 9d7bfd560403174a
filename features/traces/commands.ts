/** `traces`: the latest traces of the gateway, and the span tree of one trace. */
import type { FeatureCommand } from '#agentctl/command.ts';
import { commandOf, groupOf } from '#agentctl/operation-command.ts';
import type { Output } from '#agentctl/output.ts';
import { type Fields, list } from '#core/kernel/json-fields.ts';

export const commands: readonly FeatureCommand[] = [
  {
    after: 'rollout',
    add: groupOf('traces', 'Read traces: list, show', 'listTraces', commandOf('getTrace', showSpans)),
  },
];

function showSpans(out: Output, { spans, xray_url }: Fields): void {
  for (const line of treeOf(list(spans))) out.line(line);
  out.field('X-Ray', xray_url);
}

/** Returns one line per span, indented below its parent. */
function treeOf(spans: readonly Fields[]): string[] {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const below = (parent: unknown, depth: number): string[] =>
    spans
      .filter(({ parent_id }) => (depth === 0 ? !ids.has(parent_id) : parent_id === parent))
      .flatMap((span) => [
        `${'  '.repeat(depth)}${span.name}  ${span.duration_ms} ms${span.status === 'error' ? '  error' : ''}`,
        ...below(span.span_id, depth + 1),
      ]);
  return below(undefined, 0);
}
