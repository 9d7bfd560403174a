/** A key that signs evidence, or approving votes. Its private half never leaves KMS. */
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { GatewaySettings } from './settings.ts';

export interface SigningKeyProps {
  readonly settings: GatewaySettings;
  /** What it signs: it is the last part of the key's alias. */
  readonly signs: 'evidence' | 'votes';
}

export class SigningKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, { settings, signs }: SigningKeyProps) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: `Signs ${signs} of the agent governance gateway (ECDSA P-256, SHA-256)`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      alias: `${settings.name}-${signs}`,
      removalPolicy: settings.storeRemoval,
    });
  }
}
