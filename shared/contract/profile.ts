import { z } from 'zod';
import { updated } from './envelopes.ts';
import { boundedText, type Fields, flag, markdown, optionalInputs, outputs, text, url } from './fields.ts';

const email = (description: string, example: string) => ({
  ...text(254, description, example),
  kind: 'email' as const,
  input: boundedText(254)
    .refine((value) => value === '' || z.email().safeParse(value).success, {
      error: 'must be an e-mail address',
    })
    .meta({ description, examples: [example] }),
});

/** Who the site is about. One per site, written by its owner. */
export const profileFields = {
  name: text(200, "The creator's name", 'Ada Marsh'),
  headline: text(200, 'One line under the name', 'I build dependable back ends'),
  summary: markdown(50_000, 'About the creator', 'Engineer, teacher, occasional sailor.'),
  location: text(200, 'Place', 'Porto, Portugal'),
  avatar_url: url('Portrait', 'https://cdn.example.com/ada.jpg'),
  website: url('Home page', 'https://ada.example.com'),
  github: url('Code', 'https://git.example.com/ada'),
  linkedin: url('Professional network', 'https://people.example.com/ada'),
  twitter: url('Short posts', 'https://social.example.com/ada'),
  email: email('Where to write to', 'ada@example.com'),
  cta_text: text(200, 'Text of the call to action', 'Work with me'),
  cta_url: url('Where the call to action leads', 'https://ada.example.com/work'),
  cta_enabled: flag('Whether the call to action is shown'),
} satisfies Fields;

/** The profile as readers get it. */
export const Profile = z
  .strictObject({ ...outputs(profileFields), updated })
  .meta({ title: 'Profile', description: 'Who the site is about' });

/** The owner's update of it; null means unset. */
export const UpdateProfile = z.strictObject(optionalInputs(profileFields));
