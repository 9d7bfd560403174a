/** Warnings about rules with a probably misspelt tool: an unknown name similar to a known one [config.did-you-mean]. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { gitTools, shellCarriers } from '#core/contracts/executor-tools.ts';
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { profiles } from '#core/effects/shell/profiles/all.ts';
import { nearest } from '#core/kernel/did-you-mean.ts';

type ToolNames = Pick<ConfigurationFile, 'tool_policies' | 'upstreams' | 'executors'>;

const httpMethods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'];
const sqlVerbs = [
  ...['select', 'insert', 'update', 'delete', 'merge', 'truncate', 'create', 'alter', 'drop', 'grant', 'revoke'],
  ...['explain', 'describe', 'call', 'do', 'copy', 'load', 'lock', 'query', 'execute', 'set', 'show', 'other'],
  ...['comment', 'vacuum', 'analyze', 'cluster', 'reindex', 'refresh', 'begin', 'commit', 'rollback', 'drop_table'],
];

/**
 * Returns warnings, not errors: MCP servers and later executors may have tools of any name. Names with wildcards are
 * skipped.
 */
export function unknownTools(file: ToolNames, pack: ToolPack | null): string[] {
  const known = knownTools(file, pack);
  return file.tool_policies.rules.flatMap(({ protocol, tool }, index) => {
    const ofProtocol = known.get(protocol.trim().toLowerCase());
    if (!ofProtocol || /[*?{[\\]/.test(tool) || ofProtocol.has(tool.toLowerCase())) return [];
    const meant = nearestTool(tool.toLowerCase(), [...ofProtocol]);
    return meant === undefined || (protocol.trim().toLowerCase() === 'shell' && mayBeProgram(tool))
      ? []
      : [
          `tool_policies.rules[${index}]: no tool of protocol ${protocol} is known as "${tool}"; did you mean "${meant}"?`,
        ];
  });
}

/** Reports whether a name may be an unlisted program: short names differ in single letters, so they are not judged. */
const mayBeProgram = (tool: string): boolean => parts(tool)[1].length < 5;

/**
 * Finds the nearest known tool. Family and operation are compared separately, so that a long family does not allow more
 * differences in the operation.
 */
function nearestTool(tool: string, known: readonly string[]): string | undefined {
  const [family, operation] = parts(tool);
  const meantFamily = nearest(family, [...new Set(known.map((name) => parts(name)[0]))]);
  if (meantFamily === undefined) return undefined;
  const operations = known.map(parts).filter(([name]) => name === meantFamily);
  const meant = nearest(
    operation,
    operations.map(([, name]) => name),
  );
  return meant === undefined ? undefined : `${meantFamily}.${meant}`;
}

const parts = (tool: string): readonly [family: string, operation: string] => {
  const dot = tool.indexOf('.');
  return dot < 0 ? [tool, ''] : [tool.slice(0, dot), tool.slice(dot + 1)];
};

/** Returns known tool names in lower case by protocol: those of executors, effect readers and the pack. */
function knownTools({ upstreams, executors }: ToolNames, pack: ToolPack | null): Map<string, Set<string>> {
  const of = (family: string, names: readonly string[]) => names.map((name) => `${family}.${name}`);
  const tools: Readonly<Record<string, readonly string[]>> = {
    git: gitTools,
    http: ['http', ...upstreams.http.map(({ name }) => name)].flatMap((family) => of(family, httpMethods)),
    sql: of('sql', sqlVerbs),
    // Effects of a shell line other than running programs have their own name.
    shell: of('shell', [...profiles.keys(), ...executors.shell.allowed_binaries, ...shellCarriers, 'redirect']),
  };
  const ofPack = (protocol: string) =>
    (pack?.rules ?? [])
      .filter((rule) => rule.protocol === protocol && !/[*?{[\\]/.test(rule.tool))
      .map(({ tool }) => tool);
  return new Map(
    Object.entries(tools).map(([protocol, names]) => [
      protocol,
      new Set([...names, ...ofPack(protocol)].map((name) => name.toLowerCase())),
    ]),
  );
}
