/**
 * Rejects secrets in addresses and commands, because every reader of the configuration and every data plane can see
 * them [config.secrets-stay-bound].
 */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';
import { hasProgramSecret } from '#core/text/secrets/program-secrets.ts';

/** Sections of core in which text may look like an address. Those of features are searched. */
const unsearched = [
  ...(['version', 'server', 'admin', 'people', 'routes', 'aliases', 'tenants', 'transform', 'policies'] as const),
  ...(['chat_completions', 'chat_addresses', 'messages', 'tool_policies', 'tool_guard', 'supply_chain'] as const),
  ...(['sandbox', 'evidence', 'catalog', 'behavior', 'cache', 'budgets', 'prices', 'rollouts'] as const),
  ...(['analytics', 'alerts', 'organizations', 'separation_rules', 'telemetry'] as const),
] satisfies readonly (keyof ConfigurationFile)[];

export const checkAddresses = (file: ConfigurationFile): Problem[] => [
  ...Object.entries(file)
    .filter(([section]) => !unsearched.some((each) => each === section))
    .flatMap(([section, value]) => addressesIn(value, [section]).flatMap(checkAddress)),
  ...file.upstreams.mcp.flatMap(({ command }, at) => checkCommand(command, ['upstreams', 'mcp', at, 'command'])),
];

interface Address {
  readonly path: Path;
  readonly text: string;
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

function addressesIn(value: unknown, path: Path): Address[] {
  if (typeof value === 'string') return isAddress(value) ? [{ path, text: value }] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => addressesIn(item, [...path, at]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => addressesIn(member, [...path, name]));
}

const checkAddress = ({ path, text }: Address): Problem[] =>
  hasProgramSecret(text)
    ? [
        {
          path,
          found: 'an address with a secret in it (not shown)',
          allowed:
            'an address without a secret: name the variable that holds the secret in the member for that, such as token_env',
        },
      ]
    : [];

/** Checks a command for secrets, except in words that are addresses, which have their own check. */
function checkCommand(command: readonly string[] | undefined, path: Path): Problem[] {
  const line = (command ?? []).filter((word) => !isAddress(word)).join(' ');
  if (!hasProgramSecret(line)) return [];
  return [
    {
      path,
      found: 'a command with a secret in it (not shown)',
      allowed: 'a command without a secret: name the variable in env',
    },
  ];
}
