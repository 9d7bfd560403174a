/** The executors of a configuration: only what is configured, and only what this function has clients for. */
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { gitExecutor } from './git.ts';
import { httpExecutor } from './http.ts';
import type { Executor, ExecutorPorts } from './ports.ts';
import { shellExecutor } from './shell.ts';
import { sqlExecutor } from './sql.ts';

export type ExecutorConfiguration = Pick<Configuration, 'executors' | 'upstreams' | 'credentials'>;

/** Executors by configuration; the same configuration gets the same ones as long as it lives. */
export function executorsOf(ports: ExecutorPorts): (configuration: ExecutorConfiguration) => readonly Executor[] {
  return remembered((configuration) => executorsFrom(configuration, ports));
}

export function executorsFrom(configuration: ExecutorConfiguration, ports: ExecutorPorts): readonly Executor[] {
  const { executors, upstreams } = configuration;
  const { git, sql, shell } = executors;
  const { http } = ports;
  return [
    ...(http && upstreams.http.length > 0 ? [httpExecutor(upstreams.http, http)] : []),
    ...(http && git.enabled ? [gitExecutor(configuration, http)] : []),
    ...(sql.databases.length > 0 ? [sqlExecutor(sql, ports)] : []),
    ...(ports.shell && shell.enabled ? [shellExecutor(shell, ports.shell, ports)] : []),
  ];
}
