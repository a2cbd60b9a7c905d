/** Version of the API, stated in its OpenAPI document. */
export const version = '1.0.0';
