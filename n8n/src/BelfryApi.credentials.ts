import type { Property } from "./n8n.ts";

/** The address of a service and an access token of a project. */
export class BelfryApi {
  name = "belfryApi";
  displayName = "Belfry API";
  properties: Property[] = [
    {
      displayName: "Address",
      name: "url",
      type: "string",
      default: "",
      placeholder: "https://belfry.example.com",
      required: true,
    },
    {
      displayName: "Access Token",
      name: "token",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
    },
  ];
  authenticate = {
    type: "generic" as const,
    properties: { headers: { Authorization: "=Bearer {{$credentials.token}}" } },
  };
  test = { request: { baseURL: "={{$credentials.url}}", url: "/api/v1/social/get-platforms" } };
}
