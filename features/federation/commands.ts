/** `federation`: data planes of this control plane, and the public key that their operators pin. */
import { addCommand, addGroup, type FeatureCommand, type Parent } from '#agentctl/command.ts';
import { addOperation } from '#agentctl/operation-command.ts';
import type { Output } from '#agentctl/output.ts';
import { type Fields, fields, list } from '#core/kernel/json-fields.ts';

export const commands: readonly FeatureCommand[] = [{ after: 'rollout', add: addFederation }];

function addFederation(program: Parent): void {
  const parent = addGroup(program, 'federation', 'Manage the data planes of a control plane: planes, accept, key');
  addOperation(parent, 'federationPlanes', showPlanes);
  addOperation(parent, 'acceptPlane', (out, { name, state }) => out.line(`${name} is ${state}`));
  addCommand(parent, {
    usage: 'key',
    summary: 'Show the digest of the key that signs documents, for trusted_keys of data planes',
    examples: ['federation key'],
    run: async (cli) => {
      const answer = await cli.api().call('federationPlanes', {});
      cli.out.line(String(fields(answer.json).public_key_sha256));
      return 'positive';
    },
  });
}

async function showPlanes(out: Output, answer: Fields): Promise<void> {
  const { isSkewed } = await import('#core/configuration/store/staleness.ts');
  const planes = list(answer.planes);
  if (planes.length === 0) {
    out.line('this gateway has no data planes: federation.planes is empty');
    return;
  }
  const rows = planes.map((plane) => [
    plane.name,
    plane.state,
    plane.seen_at ?? '',
    plane.version ?? '',
    plane.behind ?? '',
    plane.pending_approvals ?? '',
    noteOf(plane, isSkewed),
  ]);
  out.table(['plane', 'state', 'seen', 'version', 'behind', 'pending', 'note'], rows);
}

type IsSkewed = (of: { readonly skew_seconds: number }) => boolean;

function noteOf(plane: Record<string, unknown>, isSkewed: IsSkewed): string {
  const { divergence, conflict, refused, state, skew_seconds } = plane;
  if (divergence) {
    const { tenant, session_id, index, kind } = fields(divergence);
    return `${kind} of ${tenant}/${session_id} at entry ${index}`;
  }
  if (state === 'conflict') return `another gateway reports: ${fields(conflict).instance}`;
  if (refused !== undefined) return `refused: ${refused}`;
  const seconds = Number(skew_seconds ?? 0);
  return isSkewed({ skew_seconds: seconds })
    ? `clock ${Math.round(Math.abs(seconds) / 60)} minutes ${seconds > 0 ? 'ahead' : 'behind'}`
    : '';
}
