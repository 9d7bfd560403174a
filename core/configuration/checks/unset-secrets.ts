/** Warnings about secrets that a configuration names but the host does not have [config.warned]. */
import type { Configuration } from '#core/contracts/config.ts';
import { type Path, pathText } from '#core/contracts/problems.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import { secretUses } from './secret-uses.ts';

/**
 * Returns a warning for each name that has no value. Key names and the admin token's name have their own warnings, and
 * previous secrets exist only during a rotation.
 * @param secrets a store with all secrets of the configuration, not only those of one function.
 */
export async function unsetSecrets(configuration: Configuration, secrets: SecretStore): Promise<string[]> {
  const named = new Map<string, Path>();
  for (const { path, name, environment } of secretUses(configuration))
    if (environment && isNeeded(configuration, path) && !named.has(name)) named.set(name, path);
  const warnings = await Promise.all(
    [...named].map(async ([name, path]) =>
      (await secrets.get(name))?.trim()
        ? []
        : [`${name} is not set; ${pathText(path)} refers to it. Set it, or remove or disable the part that needs it.`],
    ),
  );
  return warnings.flat();
}

function isNeeded({ providers, approvals, credentials }: Configuration, path: Path): boolean {
  const [section, at, channel] = path;
  // Brokers that issue tickets need a ticket key. If the file has none, a local run generates its own.
  if (at === 'tickets' && credentials.tickets.key_env === undefined)
    return credentials.brokers.some(({ type }) => type === 'ticket');
  if (section === 'admin' || section === 'tenants') return false;
  if (section === 'federation') return at === 'token_env'; // key names have their own warnings
  if (section === 'executors') return /_env$/.test(String(path.at(-1))); // not the environment of the programs
  if (/^previous_/.test(String(path.at(-1)))) return false;
  if (section === 'providers') return providers[Number(at)]?.enabled === true;
  if (section === 'approvals') return approvals.channels[channel as keyof typeof approvals.channels]?.enabled === true;
  return true;
}
