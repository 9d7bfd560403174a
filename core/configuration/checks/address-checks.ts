/** No address holds a secret: every reader of the configuration, and every data plane, sees its addresses [config.address-secrets]. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { hasProgramSecret } from '#core/evidence/program-secrets.ts';
import type { Path, Problem } from './problems.ts';

/** Sections in which addresses stand. */
const sections = [
  ...(['providers', 'upstreams', 'approvals', 'credentials'] as const),
  ...(['executors', 'identity', 'evaluation', 'federation'] as const),
] satisfies readonly (keyof ConfigurationFile)[];

export const checkAddresses = (file: ConfigurationFile): Problem[] =>
  sections.flatMap((section) => addressesIn(file[section], [section]).flatMap(checkAddress));

interface Address {
  readonly path: Path;
  readonly text: string;
}

function addressesIn(value: unknown, path: Path): Address[] {
  if (typeof value === 'string') return /^https?:\/\//i.test(value) ? [{ path, text: value }] : [];
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
          allowed: 'an address without one: name the variable that holds it in the member for that, such as token_env',
        },
      ]
    : [];
