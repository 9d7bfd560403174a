/** The routes of the optional API for callers with IAM credentials, in a separate stack (0067). */
import { Stack, type StackProps } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { RestSurface } from './rest-surface.ts';
import type { GatewaySettings } from './settings.ts';
import type { SurfaceApi } from './surface-api.ts';

interface GatewayIamProps extends StackProps {
  readonly settings: GatewaySettings;
  /** The API, without its routes. */
  readonly made: SurfaceApi;
  /** The functions' live versions. */
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
}

export class GatewayIam extends Stack {
  constructor(scope: Construct, id: string, props: GatewayIamProps) {
    super(scope, id, props);
    new RestSurface(this, 'Iam', { ...props, surface: 'gateway', iam: true });
  }
}
