/** Serves the configuration, policy versions, simulation and explanation. */

import { authenticateAdminToken } from '#core/configuration/identity/authenticate.ts';
import type { HttpHandler } from '#core/contracts/http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { putFirstConfig } from '#core/operations/first-config.ts';
import { routes } from '#features/routes.ts';
import { headerValues, textBody } from '../middleware/body.ts';
import { withErrorHandling } from '../middleware/error-handling.ts';
import { httpEndpoint, replyOf } from '../middleware/http-endpoint.ts';
import { inputsOf } from '../middleware/route.ts';
import type { GatewayPorts } from '../ports.ts';

const storeRoute = routes.find(({ operation }) => operation === 'putConfig')!;

export function createHandler(ports: GatewayPorts): HttpHandler {
  const governed = httpEndpoint('policies', ports);
  const first = withErrorHandling(ports, async (event) => {
    const principal = await authenticateAdminToken(
      headerValues(event, 'x-api-key'),
      headerValues(event, 'authorization'),
      ports.secrets,
      () => ports.configStore.adminTokenSha256(),
    );
    return replyOf(
      await putFirstConfig(ports, principal, textBody(event, storeRoute), inputsOf(storeRoute, event).query.file),
    );
  });
  return async (event, context) => {
    const storing = event.httpMethod === 'PUT' && event.resource === '/admin/v1/config';
    return storing && (await isUnconfigured(ports)) ? first(event, context) : governed(event, context);
  };
}

/** Checks for a new deployment: without a configuration, only the admin token is valid. */
async function isUnconfigured({ configStore }: GatewayPorts): Promise<boolean> {
  try {
    return (await configStore.current()) === undefined;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return false;
    throw thrown;
  }
}
