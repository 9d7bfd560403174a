/** Checks that executors fit within the host's time limits [config.contradictions]. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { HostLimits } from '#core/contracts/host-limits.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';

/**
 * Finds executors and upstreams whose timeouts exceed the host's limits.
 * @param host limits of the host, or undefined if it sets no limits for functions.
 */
export function checkHost(file: ConfigurationFile, host: HostLimits | undefined): Problem[] {
  if (!host) return [];
  const { executors, upstreams, approvals } = file;
  const { git, sql, shell } = executors;
  const holdMs = approvals.hold_seconds * 1000;
  const within = (path: Path, ms: number, limitMs: number): Problem[] =>
    ms + holdMs <= limitMs ? [] : [timeoutProblem(path, ms, { ...host, limitMs, holdMs })];
  return [
    ...upstreams.http.flatMap(({ timeout_ms }, i) =>
      within(['upstreams', 'http', i, 'timeout_ms'], timeout_ms, host.executionMs),
    ),
    ...upstreams.mcp.flatMap(({ timeout_ms }, i) =>
      within(['upstreams', 'mcp', i, 'timeout_ms'], timeout_ms, host.mcpMs),
    ),
    ...(git.enabled ? within(['executors', 'git', 'timeout_ms'], git.timeout_ms, host.executionMs) : []),
    ...sql.databases.flatMap(({ statement_timeout_ms }, i) =>
      within(['executors', 'sql', 'databases', i, 'statement_timeout_ms'], statement_timeout_ms, host.executionMs),
    ),
    ...(shell.enabled && shell.timeout_ms > host.commandMs
      ? [
          timeoutProblem(['executors', 'shell', 'timeout_ms'], shell.timeout_ms, {
            ...host,
            limitMs: host.commandMs,
            holdMs: 0,
          }),
        ]
      : []),
  ];
}

interface Limit {
  readonly name: string;
  readonly limitMs: number;
  readonly holdMs: number;
}

function timeoutProblem(path: Path, ms: number, { name, limitMs, holdMs }: Limit): Problem {
  const held = holdMs === 0 ? '' : ` after approvals.hold_seconds of ${holdMs / 1000} (${holdMs} ms)`;
  const together = holdMs === 0 ? '' : ' together';
  const allowed =
    holdMs < limitMs
      ? `at most ${limitMs} ms${together} on ${name}, so at most ${limitMs - holdMs} ms here`
      : `at most ${limitMs} ms${together} on ${name}: lower approvals.hold_seconds first`;
  return { path, found: `${ms} ms${held}`, allowed };
}
