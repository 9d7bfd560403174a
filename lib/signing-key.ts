/** A key that signs evidence, approving votes or the transparency log. Its private half never leaves KMS. */
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { GatewaySettings } from './settings.ts';

interface SigningKeyProps {
  readonly settings: GatewaySettings;
  /** The key's purpose: the last part of its alias. */
  readonly signs: keyof typeof specs;
  /** Number of the key. The alias and id of the first key have no suffix. */
  readonly generation: number;
}

/** Key specifications. Notes and witnesses of transparency logs support only Ed25519. */
const specs = {
  evidence: { keySpec: KeySpec.ECC_NIST_P256, name: 'ECDSA P-256, SHA-256' },
  votes: { keySpec: KeySpec.ECC_NIST_P256, name: 'ECDSA P-256, SHA-256' },
  log: { keySpec: KeySpec.ECC_NIST_EDWARDS25519, name: 'Ed25519' },
} as const;

export class SigningKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, { settings, signs, generation }: SigningKeyProps) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: `Signs ${signs} of the agent governance gateway (${specs[signs].name})`,
      keySpec: specs[signs].keySpec,
      keyUsage: KeyUsage.SIGN_VERIFY,
      alias: [settings.name, signs, ...(generation === 1 ? [] : [generation])].join('-'),
      removalPolicy: settings.storeRemoval,
    });
  }
}

/** Creates all keys up to the generation that signs, oldest first. Earlier keys verify their own signatures. */
export const keysUpTo = (scope: Construct, id: string, props: Omit<SigningKeyProps, 'generation'>): SigningKey[] =>
  Array.from(
    { length: props.settings.keyGenerations[props.signs] },
    (_, at) => new SigningKey(scope, at === 0 ? id : `${id}${at + 1}`, { ...props, generation: at + 1 }),
  );
