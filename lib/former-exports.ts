/**
 * Exports that stacks from earlier builds of 0.8.0 import [cloud.weak-references]. This build's stacks do not import
 * any of them, but CloudFormation does not remove an export while a deployed stack imports it, and the exporting stack
 * is updated first. This file is to be removed in the first release after 0.8.0.
 */
import type { Stack } from 'aws-cdk-lib';
import type { GatewayServices } from './services-stack.ts';
import type { GatewayStores } from './stores-stack.ts';

export const keep = (stack: Stack, values: readonly string[]): void => {
  for (const value of values) stack.exportValue(value);
};

export function keepFormerExports(stores: GatewayStores, { watched, apis, iam, webSocket }: GatewayServices): void {
  const { tables, objects, archive, keys } = stores;
  keep(stores, [
    ...Object.values(tables).flatMap(({ tableArn, tableName }) => [tableArn, tableName]),
    ...[tables.evidence, tables.deliveries].map(({ tableStreamArn }) => tableStreamArn!),
    ...[objects, archive].flatMap(({ bucketArn, bucketName }) => [bucketArn, bucketName]),
    ...Object.values(keys).flatMap(([first]) => (first ? [first.key.keyArn, first.key.keyId] : [])),
  ]);
  const services = webSocket.stack;
  keep(services, [
    ...Object.values(watched.functions).map(({ functionName }) => functionName),
    ...[...Object.values(apis), ...(iam ? [iam] : [])].map(({ api }) => api.restApiId),
    ...[webSocket.apiId, watched.stateMachine.stateMachineArn, watched.deadLetters.queueName],
  ]);
}
