/** `traces`: the latest traces of the gateway, and the span tree of one. */
import type { Command } from 'commander';
import { addCommand, addGroup, type Parent } from './command.ts';
import { fields, list } from './json-fields.ts';
import { paged, showMore } from './paging.ts';

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

export function addTraces(program: Parent): void {
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
          .option('--min-ms <ms>', 'that took at least this many milliseconds')
          .option('--from <time>', 'from this time on (ISO 8601)')
          .option('--to <time>', 'up to this time'),
      ),
    run: async (cli, { minMs, ...filters }) => {
      const { session, model, tool, decision, status, from, to, limit, cursor } = filters;
      const query = { session, model, tool, decision, status, min_ms: minMs, from, to, limit, cursor };
      const answer = await cli.api().call('listTraces', { query });
      if (cli.globals.json) cli.out.json(answer.text);
      else {
        const rows = list(fields(answer.json).traces).map((row) => [
          row.trace_id,
          row.started_at,
          `${row.duration_ms} ms`,
          row.root,
          row.status,
          row.model ?? row.tool ?? '',
        ]);
        if (rows.length === 0) cli.out.line('no trace fits');
        else cli.out.table(['trace', 'started', 'took', 'root', 'status', 'model or tool'], rows);
        showMore(cli, ['traces', 'list'], query, fields(answer.json).next);
      }
      return 'positive';
    },
  });
  addCommand<Record<string, never>>(parent, {
    usage: 'show <id>',
    summary: 'Show the spans of one trace as a tree',
    examples: ['traces show 0af7651916cd43dd8448eb211c80319c', 'traces show 0af7651916cd43dd8448eb211c80319c --json'],
    run: async (cli, _options, [id = '']) => {
      const answer = await cli.api().call('getTrace', { path: { id } });
      if (cli.globals.json) cli.out.json(answer.text);
      else {
        const { spans, xray_url } = fields(answer.json);
        for (const line of treeOf(list(spans))) cli.out.line(line);
        cli.out.field('X-Ray', xray_url);
      }
      return 'positive';
    },
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
