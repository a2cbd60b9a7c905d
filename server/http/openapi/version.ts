/** The version of the interface, which is that of its description. */
export const version = '1.0.0';
