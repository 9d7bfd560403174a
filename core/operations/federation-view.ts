/** A data plane's federation state, for its own operators [federation.status]. */
import { stalenessOf, stateOf } from '#core/configuration/store/staleness.ts';
import type { Call } from './operation.ts';

/** Returns the state, or undefined on a gateway that is not a data plane. */
export async function federationOf({ ports, snapshot }: Pick<Call, 'ports' | 'snapshot'>) {
  const { federation } = snapshot.configuration;
  if (federation.role !== 'data') return undefined;
  const state = stateOf(federation, await ports.configStore.federation());
  const stale = stalenessOf(federation, state, ports.clock.now());
  const known = state !== undefined && state.version > 0;
  return {
    plane: federation.plane,
    control_plane_version: state?.version ?? 0,
    ...(known && { confirmed_at: state.confirmed_at, expires_at: state.expires_at }),
    ...(stale && { stale: stale.reason }),
    ...(state?.refused && { refused: state.refused.reason, refused_at: state.refused.at }),
  };
}
