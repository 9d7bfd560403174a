/** `status` and `whoami`: the state of the gateway, and the caller's identity. */
import { type Fields, list, text } from '#core/kernel/json-fields.ts';
import { commandOf } from './operation-command.ts';
import { type Output, oneLineText } from './output.ts';
import { showTree } from './tree.ts';

export const statusCommands = [commandOf('status', showStatus), commandOf('whoami')];

/** Prints a table with these members as columns. A member that is missing from all entries gets no column. */
function showList(out: Output, title: string, members: readonly string[], value: unknown): void {
  const entries = list(value);
  if (value !== undefined) out.line(`${title}:${entries.length === 0 ? ' none' : ''}`);
  if (entries.length === 0) return;
  const shown = members.filter((member) => entries.some((entry) => entry[member] !== undefined));
  out.table(
    shown,
    entries.map((entry) => shown.map((member) => oneLineText(entry[member]))),
  );
}

/** Shows the status with its lists as tables below it, because they would be unreadable on one line. */
function showStatus(out: Output, { recent_violations, dependencies, providers, ...status }: Fields): void {
  showTree(out, status);
  showList(out, 'dependencies', ['kind', 'name', 'state', 'since', 'latency_ms', 'reason'], dependencies);
  showList(out, 'providers', ['name', 'type', 'health', 'breaker', 'error_rate', 'reason'], providers);
  const violations = list(recent_violations);
  if (recent_violations !== undefined) out.line(`recent_violations:${violations.length === 0 ? ' none' : ''}`);
  if (violations.length === 0) return;
  out.table(
    ['at', 'what', 'on', 'rule', 'reason'],
    violations.map(({ at, tool, model, target, matched_rule, reason }) =>
      [at, text(tool) ?? model, target, matched_rule, reason].map(oneLineText),
    ),
  );
}
