/** The key that signs session manifests (contract §4). Its private half never leaves KMS. */
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { GatewaySettings } from './settings.ts';

export interface SigningKeyProps {
  readonly settings: GatewaySettings;
}

export class SigningKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, { settings }: SigningKeyProps) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Signs session manifests of the agent governance gateway (ECDSA P-256, SHA-256)',
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      alias: `${settings.name}-evidence`,
      removalPolicy: settings.storeRemoval,
    });
  }
}
