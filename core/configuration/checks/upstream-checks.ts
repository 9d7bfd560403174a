/** Checks that the servers named in rules and grants exist, and that credentials are bound to one server. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';
import { globMatches, matchesAll } from '#core/text/matching/glob.ts';
import { globProblems } from './glob-checks.ts';
import { oneOf } from './name-checks.ts';

export function checkUpstreamNames(file: ConfigurationFile): Problem[] {
  const named = [
    ...file.credentials.grants.map((grant, i) => ({ ...grant, path: ['credentials', 'grants', i] as Path })),
    ...file.tool_policies.rules.map((rule, i) => ({ ...rule, path: ['tool_policies', 'rules', i] as Path })),
  ];
  const names = [...file.upstreams.mcp, ...file.upstreams.http].map(({ name }) => name);
  return [
    ...named.flatMap(({ upstream, path }) => (upstream === undefined ? [] : checkName(upstream, names, path))),
    ...checkCredentials(file),
  ];
}

function checkName(upstream: string, names: readonly string[], path: Path): Problem[] {
  const at = [...path, 'upstream'];
  const malformed = globProblems([upstream], () => at);
  if (malformed.length > 0 || matchesAll(upstream) || names.some((name) => globMatches(upstream, name)))
    return malformed;
  return [
    {
      path: at,
      found: JSON.stringify(upstream),
      allowed: oneOf(names, 'entries of upstreams.mcp and upstreams.http', upstream),
    },
  ];
}

/** Requires rules and grants that give credentials for MCP to name the receiving server. */
function checkCredentials({ credentials, tool_policies, upstreams }: ConfigurationFile): Problem[] {
  const names = upstreams.mcp.map(({ name }) => name);
  const open = (protocol: string, upstream: string | undefined): boolean => {
    // A pattern that covers every protocol counts only if there are MCP servers.
    const covers = matchesAll(protocol) ? names.length > 0 : coversMcp(protocol);
    return covers && upstream === undefined;
  };
  const problem = (path: Path, tool: string): Problem => ({
    path: [...path, 'upstream'],
    found: `nothing, for protocol mcp and tool ${JSON.stringify(tool)}, a name that any server may use`,
    allowed: `${names.length === 0 ? 'the name of an entry of upstreams.mcp' : oneOf(names, 'servers', '')}; write for example upstream: ${names[0] ?? 'files'}, or a protocol that is not mcp`,
  });
  return [
    ...credentials.grants.flatMap(({ protocol, tool, upstream }, i) =>
      open(protocol, upstream) ? [problem(['credentials', 'grants', i], tool)] : [],
    ),
    ...tool_policies.rules.flatMap(({ protocol, tool, upstream, credential }, i) =>
      credential && open(protocol, upstream) ? [problem(['tool_policies', 'rules', i], tool)] : [],
    ),
  ];
}

function coversMcp(protocol: string): boolean {
  try {
    return globMatches(protocol, 'mcp');
  } catch {
    return false; // not a glob: reported by the glob checks
  }
}
