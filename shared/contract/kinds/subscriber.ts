import { text } from '../fields.ts';
import { defineKind, emailField } from './kind.ts';

/** Who gets the newsletter. What `create` takes is what a visitor sends to `site.newsletter.subscribe`. */
export const subscriber = defineKind({
  collection: 'subscribers',
  fields: {
    email: emailField('E-mail address'),
    name: text(200, 'Name', 'Grace Lin'),
    source: text(200, 'Where the form was', 'footer'),
  },
  searched: ['email', 'name', 'source'],
});
