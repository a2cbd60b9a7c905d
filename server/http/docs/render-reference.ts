/**
 * Thread entry: renders page and script of the API reference once. Scalar's package offers them only to a Fastify
 * instance, so this module creates one that does not listen. The package that has the script as a file depends on Vue
 * and thirty others.
 */
import { parentPort, workerData } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

/** Without an icon, browsers request one. */
const noIcon = '<link rel="icon" href="data:," />';

const renderer = Fastify();
renderer.register(scalar, {
  routePrefix: '/docs',
  configuration: {
    url: '/openapi.json',
    pageTitle: 'API reference · Creator Content Service',
    cdn: workerData,
    authentication: { preferredSecurityScheme: 'apiKey' },
    telemetry: false,
    withDefaultFonts: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: 'direct',
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: true,
  },
});
const page = await renderer.inject('/docs/');
const script = await renderer.inject('/docs/js/scalar.js');
await renderer.close();
parentPort?.postMessage({
  html: page.body.replace('<head>', `<head>\n    ${noIcon}`),
  script: script.body,
});
