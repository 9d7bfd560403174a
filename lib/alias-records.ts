/** Route 53 records that point a host of the deployment to its endpoint. */
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct } from 'constructs';

interface AliasRecordsProps {
  /** Absent: the operator writes the records. */
  readonly hostedZoneId: string | undefined;
  readonly host: string;
  /** Called only if records are written. */
  readonly target: () => { readonly dnsName: string; readonly hostedZoneId: string };
  /** CloudFront has IPv6 addresses; regional domains of API Gateway have only IPv4 by default. */
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
