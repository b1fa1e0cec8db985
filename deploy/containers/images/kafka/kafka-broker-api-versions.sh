#!/bin/bash
# For the health check of docker-compose.yml: the jars have no tools, so what is asked is whether the broker takes connections.
exec 3<>/dev/tcp/localhost/9092
