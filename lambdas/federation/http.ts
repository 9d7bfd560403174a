/** The control plane's endpoints: configuration for data planes, their status and metrics. */
import {
  acceptPlane,
  federationConfig,
  federationMetrics,
  federationPlanes,
  federationStatus,
} from '#core/operations/federation.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) =>
  httpEndpoint('federation', ports, {
    acceptPlane,
    federationConfig,
    federationMetrics,
    federationPlanes,
    federationStatus,
  });
