/** The gateway's stores: one table per row in `core/contracts/tables.ts`. */
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { TableName, TableSpec } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import { warmThroughputOf } from './capacity.ts';
import type { GatewaySettings } from './settings.ts';

interface GatewayTablesProps {
  readonly settings: GatewaySettings;
}

/** On-demand tables with point-in-time recovery and encryption; protected against deletion except on the emulator. */
export class GatewayTables extends Construct {
  readonly byName: Readonly<Record<TableName, Table>>;

  constructor(scope: Construct, id: string, props: GatewayTablesProps) {
    super(scope, id);
    const made = Object.entries(tables).map(([name, spec]) => [name, this.#table(name, spec, props.settings)] as const);
    this.byName = Object.fromEntries(made) as Record<TableName, Table>;
  }

  #table(name: string, spec: TableSpec, settings: GatewaySettings): Table {
    const warmThroughput = warmThroughputOf(settings, name as TableName);
    const table = new Table(this, name, {
      tableName: `${settings.name}-${name}`,
      ...keys(spec),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryption.AWS_MANAGED,
      deletionProtection: settings.protected,
      removalPolicy: settings.storeRemoval,
      ...(warmThroughput && { warmThroughput }),
      ...(spec.ttl && { timeToLiveAttribute: spec.ttl }),
      ...(spec.stream && { stream: StreamViewType[spec.stream] }),
    });
    for (const index of spec.indexes ?? []) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        ...keys(index),
        projectionType: ProjectionType[index.projection],
        ...(warmThroughput && { warmThroughput }),
      });
    }
    return table;
  }
}

const keys = (spec: { readonly partitionKey: string; readonly sortKey?: string }) => ({
  partitionKey: { name: spec.partitionKey, type: AttributeType.STRING },
  ...(spec.sortKey && { sortKey: { name: spec.sortKey, type: AttributeType.STRING } }),
});
