/** Executor clients, each loaded when first needed, so that a function that runs no SQL loads no driver. */

import { CommandSlots } from '#core/execution/executors/command-slots.ts';
import type { ExecutorPorts } from '#core/execution/executors/ports.ts';
import type { Containment } from './containment.ts';
import { httpExchange } from './http-exchange.ts';

type ExecutorClients = Omit<ExecutorPorts, 'secrets'>;

const shared = {
  http: httpExchange(),
  postgres: async (work, signal) => (await import('./postgres.ts')).postgresTransaction(work, signal),
  shellWords: async (line) => (await import('#core/execution/executors/shell-words.ts')).shellWords(line),
} satisfies Partial<ExecutorClients>;

/**
 * Returns this machine's clients, which run programs next to the gateway.
 * @param environment source of the variables that commands list.
 * @param hidden folders that contained programs do not see.
 */
export function localExecutorClients(environment: NodeJS.ProcessEnv, hidden: readonly string[]): ExecutorClients {
  let containment: Promise<Containment | undefined> | undefined;
  return {
    ...shared,
    dataApi: rdsData(),
    commandSlots: new CommandSlots(),
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

/** Returns the clients for AWS. Programs run in the function with the given name; without a name, no programs run. */
export function awsExecutorClients(sandbox: string | undefined): ExecutorClients {
  return { ...shared, dataApi: rdsData(), shell: sandbox ? inFunction(sandbox) : undefined, commandSlots: undefined };
}

function rdsData(): NonNullable<ExecutorClients['dataApi']> {
  let made: Promise<NonNullable<ExecutorClients['dataApi']>> | undefined;
  return async (work, signal) => {
    made ??= import('./rds-data.ts').then(({ rdsDataTransaction }) => rdsDataTransaction());
    return (await made)(work, signal);
  };
}

function inFunction(name: string): NonNullable<ExecutorClients['shell']> {
  let made: Promise<NonNullable<ExecutorClients['shell']>> | undefined;
  return async (command, signal) => {
    made ??= import('./sandbox-function.ts').then(({ sandboxFunction }) => sandboxFunction(name));
    return (await made)(command, signal);
  };
}
