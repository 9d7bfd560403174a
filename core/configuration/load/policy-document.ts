/** Builds a configuration's tool policy: its own rules followed by those of its pack. */
import { catalogGuard } from '#core/catalog/guards.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { guardName } from '#core/contracts/guard-names.ts';
import type { ToolGuard, ToolPolicyDocument } from '#core/contracts/tool-policy.ts';

/**
 * Builds the policy document. If neither a pack nor a default is configured, calls without a matching rule are
 * reviewed. This fails closed but leaves the gateway usable.
 */
export function buildPolicyDocument({
  tool_policies: { pack, rules, default_decision, disable_guards },
  catalog,
}: Pick<Configuration, 'tool_policies'> & Partial<Pick<Configuration, 'catalog'>>): ToolPolicyDocument {
  const guards = (pack?.guards ?? []).filter((guard) => !disable_guards.includes(guardName(guard)));
  return {
    name: pack?.name ?? 'configured',
    default_decision: default_decision ?? pack?.default_decision ?? 'review',
    guards: guards.includes('secret-files') ? [...guards, ...ownSecretFiles(catalog)] : guards,
    rules: [...rules, ...(pack?.rules ?? [])],
  };
}

/** Returns the `secret-files` guard for the files that the configuration adds to the catalog [policy.secret-files]. */
function ownSecretFiles(catalog: Configuration['catalog'] | undefined): ToolGuard[] {
  const paths = catalog?.secret_files ?? [];
  return paths.length === 0 ? [] : catalogGuard('secret-files').map(({ except: _, ...guard }) => ({ ...guard, paths }));
}

/**
 * Returns a warning for each disabled guard, because the calls that it would block may otherwise be allowed without
 * notice.
 */
export const disabledGuards = ({
  tool_policies: { pack, disable_guards },
}: Pick<Configuration, 'tool_policies'>): string[] =>
  [...new Set(disable_guards)].map(
    (name) =>
      `The guard ${name} of pack ${pack?.name ?? 'none'} is disabled (tool_policies.disable_guards): only the rules apply to the calls it would block.`,
  );
