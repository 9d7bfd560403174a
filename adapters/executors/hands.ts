/** What executors work with, each loaded when it is first needed: a function that runs no SQL carries no driver. */

import type { ExecutorPorts } from '#core/executors/ports.ts';
import type { Containment } from './containment.ts';
import { httpExchange } from './http-exchange.ts';

type Hands = Omit<ExecutorPorts, 'secrets'>;

const shared: Hands = {
  http: httpExchange(),
  postgres: async (work, signal) => (await import('./postgres.ts')).postgresTransaction(work, signal),
  shellWords: async (line) => (await import('#core/executors/shell-words.ts')).shellWords(line),
};

/**
 * On this machine: programs run beside the gateway.
 * @param environment where their listed variables come from.
 * @param hidden folders no contained program sees.
 */
export function localHands(environment: NodeJS.ProcessEnv, hidden: readonly string[]): Hands {
  let containment: Promise<Containment | undefined> | undefined;
  return {
    ...shared,
    dataApi: rdsData(),
    shell: async (command, signal) => {
      const { commandRunner } = await import('./run-command.ts');
      const { findContainment } = await import('./containment.ts');
      const contain = () => {
        containment ??= findContainment(hidden);
        return containment;
      };
      return commandRunner({ environment, contain })(command, signal);
    },
  };
}

/** On AWS: programs run in the function of that name; without one none do. */
export function awsHands(sandbox: string | undefined): Hands {
  return { ...shared, dataApi: rdsData(), ...(sandbox && { shell: inFunction(sandbox) }) };
}

function rdsData(): NonNullable<Hands['dataApi']> {
  let made: Promise<NonNullable<Hands['dataApi']>> | undefined;
  return async (work, signal) => {
    made ??= import('./rds-data.ts').then(({ rdsDataTransaction }) => rdsDataTransaction());
    return (await made)(work, signal);
  };
}

function inFunction(name: string): NonNullable<Hands['shell']> {
  let made: Promise<NonNullable<Hands['shell']>> | undefined;
  return async (command, signal) => {
    made ??= import('./sandbox-function.ts').then(({ sandboxFunction }) => sandboxFunction(name));
    return (await made)(command, signal);
  };
}
