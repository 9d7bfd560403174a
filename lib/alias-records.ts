/** Route 53 records that point one of the deployment's host names to its endpoint. */
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct } from 'constructs';

interface AliasRecordsProps {
  /** If absent, the operator creates the records. */
  readonly hostedZoneId: string | undefined;
  readonly host: string;
  /** Called only if records are created. */
  readonly target: () => { readonly dnsName: string; readonly hostedZoneId: string };
  /** Record types: CloudFront has IPv6 addresses; API Gateway's regional domains have only IPv4 by default. */
  readonly types: readonly ('A' | 'AAAA')[];
}

export class AliasRecords extends Construct {
  constructor(scope: Construct, id: string, { hostedZoneId, host, target, types }: AliasRecordsProps) {
    super(scope, id);
    if (hostedZoneId === undefined) return;
    for (const type of types)
      new CfnRecordSet(this, type, { hostedZoneId, name: `${host}.`, type, aliasTarget: target() });
  }
}
