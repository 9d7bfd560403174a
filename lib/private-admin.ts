/**
 * An admin API that is reachable only from the deployment's VPC [cloud.firewall]: an API Gateway interface endpoint,
 * and a resource policy that accepts calls only from that endpoint. The endpoint does not use private DNS, which would
 * cut the VPC off from API Gateway's public APIs, including the gateway's own connections. Callers use the name that
 * combines API and endpoint; it resolves to private addresses everywhere.
 */
import { Stack } from 'aws-cdk-lib';
import type { CfnRestApiProps } from 'aws-cdk-lib/aws-apigateway';
import { CfnSecurityGroup, CfnVPCEndpoint } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { NetworkSettings } from './network-settings.ts';

interface PrivateAdminProps {
  readonly network: NetworkSettings;
  /** Networks that may reach the endpoint. */
  readonly cidrs: readonly string[];
}

export class PrivateAdmin extends Construct {
  readonly endpointId: string;
  /** Properties of the API. */
  readonly exposure: Pick<CfnRestApiProps, 'endpointConfiguration' | 'policy'>;

  constructor(scope: Construct, id: string, { network, cidrs }: PrivateAdminProps) {
    super(scope, id);
    const callers = new CfnSecurityGroup(this, 'Callers', {
      vpcId: network.vpcId,
      groupDescription: 'agent governance gateway: who may reach the admin API',
      securityGroupIngress: cidrs.map((cidr) => ({
        ipProtocol: 'tcp',
        fromPort: 443,
        toPort: 443,
        ...(cidr.includes(':') ? { cidrIpv6: cidr } : { cidrIp: cidr }),
      })),
    });
    const endpoint = new CfnVPCEndpoint(this, 'Endpoint', {
      vpcId: network.vpcId,
      vpcEndpointType: 'Interface',
      serviceName: `com.amazonaws.${Stack.of(this).region}.execute-api`,
      subnetIds: [...network.subnetIds],
      securityGroupIds: [callers.attrGroupId],
      privateDnsEnabled: false,
    });
    this.endpointId = endpoint.attrId;
    const policy = new PolicyDocument({
      statements: [
        new PolicyStatement({
          principals: [new AnyPrincipal()],
          actions: ['execute-api:Invoke'],
          resources: ['execute-api:/*'],
          conditions: { StringEquals: { 'aws:SourceVpce': this.endpointId } },
        }),
      ],
    });
    this.exposure = { endpointConfiguration: { types: ['PRIVATE'], vpcEndpointIds: [this.endpointId] }, policy };
  }
}
