/** Adds each configuration's executors to the ports. */
import { executorsOf } from '#core/execution/executors/executors.ts';
import type { ExecutorPorts } from '#core/execution/executors/ports.ts';
import type { GatewayPorts } from './ports.ts';

export function withExecutors<P extends GatewayPorts>(given: P, host: Omit<ExecutorPorts, 'secrets'>): P {
  const configured = executorsOf({ secrets: given.secrets, ...host });
  const executors: P['executors'] = (snapshot) => [...given.executors(snapshot), ...configured(snapshot.configuration)];
  return { ...given, executors };
}
