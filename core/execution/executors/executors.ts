/** Creates the executors that are configured and for which this function has clients. */
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { gitExecutor } from './git.ts';
import { httpExecutor } from './http.ts';
import type { Executor, ExecutorPorts, HttpExchange } from './ports.ts';
import { shellExecutor } from './shell.ts';
import { sqlExecutor } from './sql.ts';

export type ExecutorConfiguration = Pick<Configuration, 'executors' | 'upstreams' | 'credentials'> &
  Partial<Pick<Configuration, 'catalog'>>;

/** Returns a function that creates executors, cached per configuration object. */
export function executorsOf(ports: ExecutorPorts): (configuration: ExecutorConfiguration) => readonly Executor[] {
  return remembered((configuration) => executorsFrom(configuration, ports));
}

export function executorsFrom(configuration: ExecutorConfiguration, ports: ExecutorPorts): readonly Executor[] {
  const { executors, upstreams } = configuration;
  const { git, sql, shell } = executors;
  const http = ports.http && withNetworks(ports.http, configuration.catalog?.networks);
  return [
    ...(http && upstreams.http.length > 0 ? [httpExecutor(upstreams.http, http)] : []),
    ...(http && git.enabled ? [gitExecutor(configuration, http)] : []),
    ...(sql.databases.length > 0 ? [sqlExecutor(sql, ports)] : []),
    ...(ports.shell && shell.enabled ? [shellExecutor(shell, ports.shell, ports)] : []),
  ];
}

/** Returns an exchange that also checks addresses against the networks listed in the configuration. */
const withNetworks =
  (exchange: HttpExchange, networks: Configuration['catalog']['networks'] | undefined): HttpExchange =>
  (request, signal) =>
    exchange({ ...request, networks }, signal);
