/**
 * Checks the environment names of secrets. They must be on an allowlist, and secrets that admit callers must never be
 * sent out.
 */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { type Path, type Problem, pathText } from '#core/contracts/problems.ts';
import { environmentNames } from './secret-uses.ts';

interface Use {
  readonly path: Path;
  readonly name: string;
}

/**
 * Rejects a secret that both admits callers and is sent out. Otherwise, an administrator who may point a provider at
 * another address would receive the admin token.
 */
export function checkSecretNames(file: ConfigurationFile): Problem[] {
  const uses = environmentNames(file, []);
  const inbound = new Map(
    uses
      .filter(isInbound)
      .map((use) => [use.name, use] as const)
      .reverse(),
  );
  return uses.flatMap((use) => {
    const opener = inbound.get(use.name);
    if (!opener || opener.path === use.path || opener.path[0] === use.path[0] || isMerged(opener, use)) return [];
    const where = pathText(opener.path);
    return [{ path: use.path, found: use.name, allowed: `another name: ${where} admits callers with this secret` }];
  });
}

/**
 * Recognises a data plane's key, which appears both in the plane's own list and in the tenant that the control plane
 * sends. This counts as a single use.
 */
const isMerged = (opener: Use, { path }: Use) =>
  opener.path[0] === 'tenants' && path[0] === 'federation' && path[1] === 'local_keys';

const isInbound = ({ path }: Use) =>
  path[0] === 'admin' || path[0] === 'tenants' || opensToPlanes(path) || verifiesVotes(path);

/** Matches tokens and keys that admit federation callers, but not the token that a data plane sends. */
const opensToPlanes = (path: Path) => path[0] === 'federation' && path.length > 2;

/** Matches secrets whose holder could forge votes by any person. */
const verifiesVotes = (path: Path) =>
  path[0] === 'approvals' && /(signing|webhook)_secret_env$/.test(String(path.at(-1)));
