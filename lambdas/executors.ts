/** Gives ports the executors of the configuration in force: what an allowed action is carried out by. */
import type { ReadHow } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Executor } from '#core/credentials/ports.ts';
import { executorsOf } from '#core/executors/executors.ts';
import type { ExecutorPorts } from '#core/executors/ports.ts';
import type { GatewayPorts } from './ports.ts';

/** Call `snapshots.current()` before reading `executors`: it refreshes the list to that configuration. */
export function withExecutors<P extends GatewayPorts>(given: P, host: Omit<ExecutorPorts, 'secrets'>): P {
  const configured = executorsOf({ secrets: given.secrets, ...host });
  const executors: Executor[] = [...given.executors];
  const fixed = executors.length;
  let known: Configuration | undefined;
  const current = async (how?: ReadHow) => {
    const snapshot = await given.snapshots.current(how);
    if (snapshot.configuration !== known) {
      known = snapshot.configuration;
      executors.splice(fixed, executors.length - fixed, ...configured(known));
    }
    return snapshot;
  };
  return { ...given, executors, snapshots: { ...given.snapshots, current } };
}
