// Serves an OpenID provider with its own pages on a free port, and prints its issuer. Whoever types a name is that person.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const [pages, clientId, clientSecret, ...administrators] = process.argv.slice(2);
const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [`${pages}/oidc/callback`],
      post_logout_redirect_uris: [`${pages}/enter`],
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
  scopes: ["openid", "email", "groups"],
  pkce: { required: () => true },
  features: { rpInitiatedLogout: { enabled: true } },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@Example.org`,
      email_verified: id.startsWith("verified"),
      groups: administrators.includes(id) ? ["people", "admins"] : ["people"],
    }),
  }),
});
server.on("request", provider.callback());
console.log(issuer);
