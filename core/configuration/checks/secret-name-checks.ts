/** Environment names for secrets: from an allow-list, and what lets callers in is sent nowhere. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { type Path, type Problem, pathText } from '#core/contracts/problems.ts';
import { environmentNames } from './secret-uses.ts';

interface Use {
  readonly path: Path;
  readonly name: string;
}

/**
 * A secret that opens the gateway must not double as one that the gateway sends out: an administrator who may point a provider at
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
    return [{ path: use.path, found: use.name, allowed: `another name: ${where} lets callers in by it` }];
  });
}

/** A data plane's key stands in its list and, under the control plane, in its tenant: one key, one use. */
const isMerged = (opener: Use, { path }: Use) =>
  opener.path[0] === 'tenants' && path[0] === 'federation' && path[1] === 'local_keys';

const isInbound = ({ path }: Use) =>
  path[0] === 'admin' || path[0] === 'tenants' || opensToPlanes(path) || verifiesVotes(path);

/** Tokens and keys that a federation lets in by; the token that a data plane sends is none of them. */
const opensToPlanes = (path: Path) => path[0] === 'federation' && path.length > 2;

/** A holder of these can forge callbacks of any person. */
const verifiesVotes = (path: Path) =>
  path[0] === 'approvals' && /(signing|webhook)_secret_env$/.test(String(path.at(-1)));
