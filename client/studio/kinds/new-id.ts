/** The id, in addresses, of a record that isn't on the service yet. */
export const newId = 'new';
