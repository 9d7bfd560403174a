/** `traces`: the latest traces of the gateway, and the span tree of one. */

import type { Command } from 'commander';
import { addCommand, addGroup, type FeatureCommand, type Parent } from '#agentctl/command.ts';
import { list } from '#agentctl/json-fields.ts';
import { showAnswer } from '#agentctl/operation-command.ts';
import { paged, showMore } from '#agentctl/paging.ts';

export const commands: readonly FeatureCommand[] = [{ after: 'rollout', add: addTraces }];

interface ListOptions {
  readonly session?: string;
  readonly model?: string;
  readonly tool?: string;
  readonly decision?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
  readonly minMs?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

function addTraces(program: Parent): void {
  const parent = addGroup(program, 'traces', 'Read traces: list, show');
  addCommand<ListOptions>(parent, {
    usage: 'list',
    isDefault: true,
    summary: 'List the last traces, newest first',
    examples: ['traces', 'traces list --session demo', 'traces list --min-ms 500 --json'],
    options: (command: Command) =>
      paged(
        command
          .option('--session <id>', 'of this session')
          .option('--model <name>', 'of this model')
          .option('--tool <name>', 'of this tool')
          .option('--decision <decision>', 'allow, review or block')
          .option('--status <status>', 'ok or error')
          .option('--min-ms <ms>', 'minimum duration in milliseconds')
          .option('--from <time>', 'earliest time (ISO 8601)')
          .option('--to <time>', 'latest time'),
      ),
    run: async (cli, { minMs, ...filters }) => {
      const { session, model, tool, decision, status, from, to, limit, cursor } = filters;
      const query = { session, model, tool, decision, status, min_ms: minMs, from, to, limit, cursor };
      return showAnswer(cli, 'listTraces', { query }, (out, { traces, next }) => {
        const rows = list(traces).map((row) => [
          row.trace_id,
          row.started_at,
          `${row.duration_ms} ms`,
          row.root,
          row.status,
          row.model ?? row.tool ?? '',
        ]);
        out.rows('no trace fits', ['trace', 'started', 'took', 'root', 'status', 'model or tool'], rows);
        showMore(cli, ['traces', 'list'], query, next);
      });
    },
  });
  addCommand(parent, {
    usage: 'show <id>',
    summary: 'Show the spans of one trace as a tree',
    examples: ['traces show 0af7651916cd43dd8448eb211c80319c', 'traces show 0af7651916cd43dd8448eb211c80319c --json'],
    run: (cli, _options, [id = '']) =>
      showAnswer(cli, 'getTrace', { path: { id } }, (out, { spans, xray_url }) => {
        for (const line of treeOf(list(spans))) out.line(line);
        out.field('X-Ray', xray_url);
      }),
  });
}

type Row = Readonly<Record<string, unknown>>;

/** Returns one line per span, indented below its parent. */
function treeOf(spans: readonly Row[]): string[] {
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
