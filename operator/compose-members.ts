/** Finds members of a spec that a composition would silently drop: a misspelled member may be a policy that blocks. */
import type { Gateway, Part } from './resources.ts';

const gatewayMembers: readonly string[] = ['service', 'deployment', 'adminToken', 'secrets', 'configuration'];
const policyMembers: readonly string[] = ['gateway', 'order', 'input', 'output', 'rules'];
/** Members that the operator derives from the object's name and from secret values. */
const tenantWritten: readonly string[] = ['id', 'api_keys'];
const keyWritten: readonly string[] = ['key', 'key_env', 'key_sha256'];

/**
 * Returns a message about the first member that is not part of the configuration, without its value, or `undefined` if
 * there is none. Unknown members in other specs reach the gateway, which rejects them [operator.composed].
 */
export function foreignMember({ kind, metadata, spec }: Gateway | Part): string | undefined {
  const found = (path: string, allowed: string) =>
    `${kind} ${metadata.name}: found spec.${path}. Allowed: ${allowed}. Correct or remove it.`;
  const names = Object.keys(spec);
  const closed = kind === 'Gateway' ? gatewayMembers : kind === 'Policy' ? policyMembers : undefined;
  const unknown = closed && names.find((name) => !closed.includes(name));
  if (unknown !== undefined) return found(unknown, closed!.join(', '));
  if (kind !== 'Tenant') return undefined;
  const written = names.find((name) => tenantWritten.includes(name));
  if (written !== undefined) return found(written, 'the name of the object as id, and keys with secretKeyRef');
  const keys = ((spec as Part['spec']).keys ?? []) as readonly Readonly<Record<string, unknown>>[];
  for (const [at, key] of keys.entries()) {
    const plain = Object.keys(key).find((name) => keyWritten.includes(name));
    if (plain !== undefined) return found(`keys[${at}].${plain}`, 'secretKeyRef');
  }
  return undefined;
}
